import { readFileSync } from 'node:fs'

/** The name of the program in the data directory of a server, which the script of the shim `http` runs. */
export const HTTP_PROGRAM = 'undock_http'

/** The shell script that sends a request for the shim `http` of a server: from standard input into the file of its argument. Its
 *  text contains the client's, because the server's user may not reach undock's own folder. */
export function httpProgram(): string {
  const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  const client = textOf('./client.js').replace(/^import .* from '(\..*)'$/m, (_, path: string) => textOf(path))
  const node = `${quoted(process.execPath)} --input-type=module -e ${quoted(client)}`
  return `#!/bin/sh\nmkdir -p "$(dirname "$1")" && exec ${node} > "$1"\n`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
