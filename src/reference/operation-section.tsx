import { problems } from '../http/problem.ts'
import { type Answer, type Document, type Operation, parameterOf } from './document.ts'
import { blocks, inline } from './markdown.ts'
import { Member, Shape } from './members.tsx'
import { pretty } from './pretty.ts'

interface Props {
  readonly document: Document
  readonly method: string
  readonly path: string
  readonly operation: Operation
}

/** The codes of the problems of an answer, from the names of their schemas. */
function codesOf({ content }: Answer): string[] {
  const schema = content?.['application/problem+json']?.schema
  return [schema, ...(schema?.oneOf ?? [])].flatMap((one) => one?.$ref?.split('problem.')[1] ?? [])
}

const Parameters = ({ document, operation }: Pick<Props, 'document' | 'operation'>) => {
  const all = operation.parameters.map((one) => parameterOf(document, one))
  // Names in the path speak for themselves, and what every call takes is told once.
  const own = all.filter(
    ({ in: place, name }) => place === 'query' || (place === 'header' && !name.startsWith('Rheo-')),
  )
  if (own.length === 0) return null
  return (
    <>
      <h4>Parameters</h4>
      <dl class="members">
        {own.map(({ name, in: place, schema, description, required = false }) => (
          <Member
            key={name}
            name={place === 'header' ? `${name}:` : name}
            schema={schema}
            description={description}
            isRequired={required}
          />
        ))}
      </dl>
    </>
  )
}

const Body = ({ operation }: Pick<Props, 'operation'>) => {
  if (operation.requestBody === undefined) return null
  return (
    <>
      <h4>Body</h4>
      {Object.entries(operation.requestBody.content).map(([type, { schema }]) => (
        <div key={type}>
          <p class="media">
            <code>{type}</code>
          </p>
          <Shape of={schema} mark={true} />
        </div>
      ))}
    </>
  )
}

const Answers = ({ operation }: Pick<Props, 'operation'>) => {
  const all = Object.entries(operation.responses)
  const refusals = all.flatMap(([status, answer]) => {
    const codes = codesOf(answer)
    return codes.length === 0 ? [] : [{ status, codes }]
  })
  return (
    <>
      <h4>Answers</h4>
      {all
        .filter(([, answer]) => codesOf(answer).length === 0)
        .map(([status, { description, content = {} }]) => (
          <div key={status}>
            <p>
              <span class="status">{status}</span> <span dangerouslySetInnerHTML={inline(description)} />
            </p>
            {Object.entries(content).map(([type, { schema }]) => (
              <div key={type}>
                {type === 'application/json' ? null : (
                  <p class="media">
                    <code>{type}</code>
                  </p>
                )}
                <Shape of={schema} mark={false} />
              </div>
            ))}
          </div>
        ))}
      <h4>Refusals</h4>
      <ul class="codes">
        {refusals.flatMap(({ status, codes }) =>
          codes.map((code) => (
            <li key={`${status} ${code}`}>
              <span class="status">{status}</span>{' '}
              <a href={`/docs/errors#${code}`} title={problems[code as keyof typeof problems][1]}>
                {code}
              </a>
            </li>
          )),
        )}
      </ul>
    </>
  )
}

const Samples = ({ operation }: Pick<Props, 'operation'>) => {
  const answered = Object.entries(operation.responses).flatMap(([status, { content = {} }]) =>
    Object.values(content).flatMap(({ examples = {} }) =>
      Object.values(examples).map(({ summary, value }) => ({ status, summary, value })),
    ),
  )
  const sdk = operation['x-codeSamples'].filter(({ lang }) => lang === 'TypeScript')
  const curl = operation['x-codeSamples'].filter(({ lang }) => lang === 'Shell')
  return (
    <div class="samples">
      {curl.map(({ label, source }) => {
        const answer = answered.find(({ summary }) => summary === label)
        return (
          <figure key={label}>
            <figcaption>
              {label} <span class="lang">curl</span>
            </figcaption>
            <pre>
              <code>{source}</code>
            </pre>
            {answer === undefined ? null : (
              <details>
                <summary>
                  Answer <span class="status">{answer.status}</span>
                </summary>
                <pre>
                  <code>{pretty(answer.value)}</code>
                </pre>
              </details>
            )}
          </figure>
        )
      })}
      {sdk.map(({ source }) => (
        <figure key="sdk">
          <figcaption>
            The same by the SDK <span class="lang">TypeScript</span>
          </figcaption>
          <pre>
            <code>{source}</code>
          </pre>
        </figure>
      ))}
    </div>
  )
}

/** What a caller needs for an operation. */
const needs = ({ security: [first] }: Operation): string => {
  if (first === undefined) return 'no credentials'
  return first.token[0] === undefined ? 'any token' : `scope ${first.token[0]}`
}

/** All there is to say of one operation. */
export const OperationSection = ({ document, method, path, operation }: Props) => (
  <section class="operation">
    <div class="words">
      <h3 id={operation.operationId}>
        <a href={`#${operation.operationId}`}>{operation.summary}</a>
      </h3>
      <p class="route">
        <span class={`method ${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        <span class="scope">{needs(operation)}</span>
      </p>
      <div dangerouslySetInnerHTML={blocks(operation.description)} />
      <Parameters document={document} operation={operation} />
      <Body operation={operation} />
      <Answers operation={operation} />
    </div>
    <Samples operation={operation} />
  </section>
)
