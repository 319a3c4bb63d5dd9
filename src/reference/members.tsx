import type { ComponentChildren } from 'preact'
import { inline } from './markdown.ts'
import type { Schema } from './schema.ts'

/** A number as people read it. */
const figure = (value: number): string =>
  Math.abs(value) === Number.MAX_SAFE_INTEGER ? '' : value.toLocaleString('en').replaceAll(',', '\u202f')

function rangeOf({ minimum, maximum }: Schema): string {
  const [min, max] = [minimum, maximum].map((bound) => (bound === undefined ? '' : figure(bound)))
  if (min !== '' && max !== '') return `${min} to ${max}`
  return min !== '' ? `from ${min}` : max !== '' ? `up to ${max}` : ''
}

function lengthOf({ minLength = 0, maxLength }: Schema): string {
  if (maxLength === undefined) return ''
  return minLength > 0 ? `${minLength} to ${figure(maxLength)} characters` : `up to ${figure(maxLength)} characters`
}

const values = (all: readonly unknown[]): ComponentChildren =>
  all.map((value, at) => (
    <>
      {at === 0 ? '' : ' · '}
      <code>{JSON.stringify(value)}</code>
    </>
  ))

const nameOf = ($ref: string): string => $ref.split('/').at(-1)!

/** What a value may be, in a few words. */
export const Type = ({ of }: { readonly of: Schema }): ComponentChildren => {
  if (of.$ref !== undefined) return <a href={`#schema-${nameOf(of.$ref)}`}>{nameOf(of.$ref)}</a>
  if ('const' in of) return values([of.const])
  if (of.enum !== undefined) return values(of.enum)
  const alternatives = of.oneOf ?? of.anyOf
  if (alternatives !== undefined && of.properties === undefined) {
    return alternatives.map((one, at) => (
      <>
        {at === 0 ? '' : ' or '}
        <Type of={one} />
      </>
    ))
  }
  const types = [of.type ?? 'any value'].flat()
  if (types.includes('array') && of.items !== undefined) {
    return (
      <>
        list of{' '}
        {of.maxItems === undefined ? '' : `${of.minItems ? `${of.minItems} to` : 'up to'} ${figure(of.maxItems)}: `}
        <Type of={of.items} />
      </>
    )
  }
  if (typeof of.additionalProperties === 'object' && of.propertyNames !== undefined && of.properties === undefined) {
    return of.propertyNames.pattern?.startsWith('^(0|') ? (
      <>
        by partition: <Type of={of.additionalProperties} />
      </>
    ) : (
      'object'
    )
  }
  const bounds = [of.format === 'date-time' ? 'RFC 3339' : '', rangeOf(of), lengthOf(of)].filter((text) => text !== '')
  return [types.join(' or '), ...bounds].join(', ')
}

/** The members that a schema has below it, to be told of in place. */
function inner(schema: Schema): Schema | null {
  if (schema.properties !== undefined) return schema
  const below = [schema.items, ...(schema.oneOf ?? []), ...(schema.anyOf ?? [])]
  if (typeof schema.additionalProperties === 'object') below.push(schema.additionalProperties)
  const found = below.find((one) => one !== undefined && one.$ref === undefined && inner(one) !== null)
  return found === undefined ? null : inner(found)
}

interface MemberProps {
  readonly name: string
  readonly schema: Schema
  readonly description: string
  readonly isRequired: boolean
  /** Whether what is required below it is marked so. */
  readonly mark?: boolean
}

/** One member, or parameter, with what lies below it. */
export const Member = ({ name, schema, description, isRequired, mark = false }: MemberProps) => {
  const below = inner(schema)
  const otherwise = schema.default
  return (
    <>
      <dt>
        <code class="name">{name}</code>{' '}
        <span class="type">
          <Type of={schema} />
        </span>
        {isRequired ? <span class="required">required</span> : null}
        {otherwise === undefined || otherwise === null ? null : (
          <span class="type">
            default <code>{JSON.stringify(otherwise)}</code>
          </span>
        )}
      </dt>
      <dd>
        <span dangerouslySetInnerHTML={inline(description)} />
        {below === null ? null : <Members of={below} mark={mark} />}
      </dd>
    </>
  )
}

/** Members that only say that they are ignored, told of in one line. */
const IGNORED = /^Ignored:/

/** The members of an object. Of answers nothing is marked as required: what may be missing says so. */
export const Members = ({ of, mark }: { readonly of: Schema; readonly mark: boolean }) => {
  const members = Object.entries(of.properties ?? {}).filter(([, schema]) => JSON.stringify(schema.not) !== '{}')
  const ignored = members.filter(([, { description = '' }]) => IGNORED.test(description))
  const told = members.filter((member) => !ignored.includes(member))
  return (
    <dl class="members">
      {told.map(([name, schema]) => (
        <Member
          key={name}
          name={name}
          schema={schema}
          description={schema.description ?? ''}
          mark={mark}
          isRequired={mark && (of.required?.includes(name) ?? false)}
        />
      ))}
      {ignored.length === 0 ? null : (
        <>
          <dt class="names">
            {ignored.map(([name], at) => (
              <>
                {at === 0 ? '' : ', '}
                <code class="name">{name}</code>
              </>
            ))}
          </dt>
          <dd dangerouslySetInnerHTML={inline(ignored[0]![1].description!)} />
        </>
      )}
    </dl>
  )
}

/** A body or answer: its members, in each of the forms that it may have. */
export const Shape = ({ of, mark }: { readonly of: Schema; readonly mark: boolean }): ComponentChildren => {
  const forms = of.oneOf ?? of.anyOf
  if (forms !== undefined && of.properties === undefined) {
    return forms.map((one, at) => (
      <div class="form" key={JSON.stringify(one).length + at}>
        <p class="label">{at === 0 ? 'One of these forms:' : 'or'}</p>
        <Shape of={one} mark={mark} />
      </div>
    ))
  }
  if (of.properties !== undefined) return <Members of={of} mark={mark} />
  return (
    <p>
      <Type of={of} />
      {of.description === undefined ? null : (
        <>
          . <span dangerouslySetInnerHTML={inline(of.description)} />
        </>
      )}
    </p>
  )
}
