/** The used part of a package without types. */
declare module 'cross-spawn' {
  type Parsed = {
    readonly command: string
    readonly args: string[]
    readonly options: { windowsVerbatimArguments?: boolean }
  }
  const spawn: { _parse(command: string, args: readonly string[], options: object): Parsed }
  export = spawn
}
