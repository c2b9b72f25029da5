/// <reference path="./pg-parts.d.ts" />
import TypeOverrides from 'pg/lib/type-overrides.js'
import utils from 'pg/lib/utils.js'

// How both engines convert values to and from text. Only these two parts of node-postgres are loaded, because the embedded
// engine does not need its client.

type ToParameter = (value: unknown) => string | Buffer | null
type FromText = (text: string) => unknown

const types = new TypeOverrides()

/** node-postgres' own conversion, so that both engines take the same JavaScript values. */
export const toParameter: ToParameter = utils.prepareValue

export const fromText = (oid: number): FromText => types.getTypeParser(oid, 'text')
