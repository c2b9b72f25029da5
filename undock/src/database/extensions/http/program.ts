import { readFileSync } from 'node:fs'

export const HTTP_PROGRAM = 'undock_http'

/** Returns the shell script that sends a request for a server's `http` shim: from standard input into the file named by
 *  its argument. Embeds the client's text, because the server's user may not be able to read undock's folder. */
export function httpProgram(node: string): string {
  const textOf = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8')
  const client = textOf('./client.js').replace(/^import .* from '(\..*)'$/m, (_, path: string) => textOf(path))
  const call = `${quoted(node)} --input-type=module -e ${quoted(client)}`
  return `#!/bin/sh\nmkdir -p "$(dirname "$1")" && exec ${call} > "$1"\n`
}

const quoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`
