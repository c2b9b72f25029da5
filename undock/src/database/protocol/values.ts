import { createRequire } from 'node:module'

// How both engines convert values to and from text. Only these two parts of node-postgres are loaded, because the embedded
// engine does not need its client.

type ToParameter = (value: unknown) => string | Buffer | null
type FromText = (text: string) => unknown

const require = createRequire(import.meta.url)
const { prepareValue } = require('pg/lib/utils.js') as { prepareValue: ToParameter }
const TypeOverrides = require('pg/lib/type-overrides.js') as new () => {
  getTypeParser(oid: number, format: 'text'): FromText
}
const types = new TypeOverrides()

/** node-postgres' own conversion, so that both engines take the same JavaScript values. */
export const toParameter: ToParameter = prepareValue

export const fromText = (oid: number): FromText => types.getTypeParser(oid, 'text')
