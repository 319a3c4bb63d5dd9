import type { Schema } from './schema.ts'

/* An OpenAPI 3.1 document, as far as this one goes. */

export interface Ref {
  readonly $ref: string
}

export interface Parameter {
  readonly name: string
  readonly in: 'path' | 'query' | 'header'
  readonly required?: boolean
  readonly description: string
  readonly schema: Schema
  readonly example?: unknown
}

export interface Media {
  readonly schema: Schema
  readonly examples?: Readonly<Record<string, { readonly summary: string; readonly value: unknown }>>
}

export interface Header {
  readonly description: string
  readonly required?: boolean
  readonly schema: Schema
}

export interface Answer {
  readonly description: string
  readonly headers: Readonly<Record<string, Ref>>
  readonly content?: Readonly<Record<string, Media>>
}

export interface CodeSample {
  readonly lang: 'Shell' | 'TypeScript'
  readonly label: string
  readonly source: string
}

export interface Operation {
  readonly operationId: string
  readonly tags: readonly [string]
  readonly summary: string
  readonly description: string
  readonly security: readonly { readonly token: readonly string[] }[]
  readonly parameters: readonly (Parameter | Ref)[]
  readonly requestBody?: { readonly required: true; readonly content: Readonly<Record<string, Media>> }
  readonly responses: Readonly<Record<string, Answer>>
  readonly 'x-codeSamples': readonly CodeSample[]
}

export interface Document {
  readonly openapi: '3.1.1'
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
  }
  readonly servers: readonly { readonly url: string; readonly description: string }[]
  readonly tags: readonly { readonly name: string; readonly description: string }[]
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
  readonly components: {
    readonly schemas: Readonly<Record<string, Schema>>
    readonly parameters: Readonly<Record<string, Parameter>>
    readonly headers: Readonly<Record<string, Header>>
    readonly securitySchemes: Readonly<Record<string, object>>
  }
}

/** Every operation of a document, with its method in capitals. */
export const operationsOf = (document: Document): { method: string; path: string; operation: Operation }[] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation })),
  )

/** What stands behind a parameter that may be told by reference. */
export const parameterOf = (document: Document, parameter: Parameter | Ref): Parameter =>
  '$ref' in parameter ? document.components.parameters[parameter.$ref.split('/').at(-1)!]! : parameter
