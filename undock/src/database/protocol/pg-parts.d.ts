// Files of node-postgres that its types omit.

declare module 'pg/lib/utils.js' {
  const utils: { prepareValue(value: unknown): string | Buffer | null }
  export = utils
}

declare module 'pg/lib/type-overrides.js' {
  class TypeOverrides {
    getTypeParser(oid: number, format: 'text'): (text: string) => unknown
  }
  export = TypeOverrides
}
