import { Layout } from '../page/layout.tsx'
import { type Document, operationsOf, parameterOf } from './document.ts'
import { inline } from './markdown.ts'
import { Member, Shape } from './members.tsx'
import { OperationSection } from './operation-section.tsx'

const idOf = (tag: string): string => `tag-${tag.toLowerCase().replaceAll(' ', '-')}`

/** Schemas with a name of their own; problems are on the page of errors. */
const namedSchemas = (document: Document) =>
  Object.entries(document.components.schemas).filter(([name]) => !name.startsWith('problem.'))

const Contents = ({ document }: { readonly document: Document }) => (
  <nav class="contents" aria-label="Reference">
    <ul>
      <li>
        <a href="#calls">Calls and answers</a>
      </li>
      {document.tags.map(({ name }) => (
        <li key={name}>
          <a href={`#${idOf(name)}`}>{name}</a>
          <ul>
            {operationsOf(document)
              .filter(({ operation }) => operation.tags[0] === name)
              .map(({ operation }) => (
                <li key={operation.operationId}>
                  <a href={`#${operation.operationId}`}>{operation.summary}</a>
                </li>
              ))}
          </ul>
        </li>
      ))}
      <li>
        <a href="#schemas">Schemas</a>
      </li>
      <li>
        <a href="/docs/errors">Errors</a>
      </li>
    </ul>
  </nav>
)

const Calls = ({ document }: { readonly document: Document }) => {
  const { headers, securitySchemes } = document.components
  const common = ['Rheo-Tenant', 'Rheo-Now'].map((name) =>
    parameterOf(document, { $ref: `#/components/parameters/${name}` }),
  )
  return (
    <section>
      <h2 id="calls">Calls and answers</h2>
      <p dangerouslySetInnerHTML={inline(document.info.description)} />
      <p>
        <code>Authorization: Bearer</code>{' '}
        <span dangerouslySetInnerHTML={inline((securitySchemes.token as { description: string }).description)} />
      </p>
      <p>
        The examples follow on each other: against a server that <code>npm run dev</code> has started on an empty store,
        they work as they stand, from top to bottom, the two deletes last.
      </p>
      <h3 id="request-headers">Headers of every call</h3>
      <dl class="members">
        {common.map(({ name, schema, description }) => (
          <Member key={name} name={`${name}:`} schema={schema} description={description} isRequired={false} />
        ))}
      </dl>
      <h3 id="answer-headers">Headers of answers</h3>
      <dl class="members">
        {Object.entries(headers).map(([name, { schema, description }]) => (
          <Member key={name} name={`${name}:`} schema={schema} description={description} isRequired={false} />
        ))}
      </dl>
    </section>
  )
}

/** The reference of the API, whole: rendered from the OpenAPI document when the site is built. */
export const DocsPage = ({ document, style }: { readonly document: Document; readonly style: string }) => (
  <Layout title="API reference" current="docs" style={style}>
    <div class="reference">
      <Contents document={document} />
      <div class="content">
        <h1>API reference</h1>
        <p class="lead">
          {document.info.summary} Version {document.info.version}. For machines:{' '}
          <a href="/openapi.json">openapi.json</a> (OpenAPI 3.1). What failures mean: <a href="/docs/errors">errors</a>.
        </p>
        <Calls document={document} />
        {document.tags.map(({ name, description }) => (
          <section key={name}>
            <h2 id={idOf(name)}>{name}</h2>
            <p>{description}</p>
            {operationsOf(document)
              .filter(({ operation }) => operation.tags[0] === name)
              .map((one) => (
                <OperationSection key={one.operation.operationId} document={document} {...one} />
              ))}
          </section>
        ))}
        <section>
          <h2 id="schemas">Schemas</h2>
          {namedSchemas(document).map(([name, schema]) => (
            <section class="schema" key={name}>
              <h3 id={`schema-${name}`}>
                <a href={`#schema-${name}`}>{name}</a>
              </h3>
              {schema.description === undefined ? null : <p dangerouslySetInnerHTML={inline(schema.description)} />}
              <Shape of={schema} mark={false} />
            </section>
          ))}
        </section>
      </div>
    </div>
  </Layout>
)
