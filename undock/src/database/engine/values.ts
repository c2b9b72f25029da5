import pg from 'pg'

// One definition for both engines: what a value becomes on its way in and out.

type ToParameter = (value: unknown) => string | Buffer | null
type FromText = (text: string) => unknown

/** node-postgres' own conversion, so that both engines take the same JavaScript values. */
export const toParameter = (pg as unknown as { utils: { prepareValue: ToParameter } }).utils.prepareValue

export const fromText = (oid: number): FromText => pg.types.getTypeParser(oid, 'text') as FromText
