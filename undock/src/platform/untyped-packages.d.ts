// Packages, and files of node-postgres, without types: the used part.

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

declare module 'cross-spawn' {
  type Parsed = {
    readonly command: string
    readonly args: string[]
    readonly options: { windowsVerbatimArguments?: boolean }
  }
  const spawn: { _parse(command: string, args: readonly string[], options: object): Parsed }
  export = spawn
}
