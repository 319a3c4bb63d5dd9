import type { Address } from './partition/commands.ts'

/** The name of a partition's object: JSON keeps the parts apart, so no two addresses share one (S8.16). */
export const partitionName = ({ tenant, stream, uid, partition }: Address): string =>
  JSON.stringify([tenant, stream, uid, partition])

/** The name of a tenant's catalog object. */
export const catalogName = (tenant: string): string => tenant
