import { line } from '../_shared/mail/user-text.ts'

/** The file's part has to begin within this many bytes. */
const HEAD = 65_536
const PART = /\r\ncontent-disposition:[^\r\n]*[; ]name="?file"?(?=[;\r\s])[^\r\n]*/i
const NAME = /;\s*filename="((?:[^"\\\r\n]|\\.)*)"|;\s*filename=([^;"\r\n]+)/i
const ENCODED_NAME = /;\s*filename\*=utf-8'[^']*'([^;\r\n]+)/i

/** Returns the full name of the part `file` in a form (RFC 7578), on one line, or undefined. Deno's parser cuts names
 *  at a semicolon and doesn't decode what browsers encode.
 *  @param request A copy whose body isn't read elsewhere. */
export async function formFileName(request: Request): Promise<string | undefined> {
  let head = new Uint8Array()
  for await (const chunk of request.body ?? []) {
    head = new Uint8Array([...head, ...chunk.subarray(0, HEAD)])
    if (head.length >= HEAD) break
  }
  const [part = ''] = PART.exec(`\r\n${new TextDecoder().decode(head)}`) ?? []
  const [, quoted, bare] = NAME.exec(part) ?? []
  const name = decoded(ENCODED_NAME.exec(part)?.[1]) ?? quoted?.replace(/\\(["\\])/g, '$1') ?? bare
  // Browsers encode only these three, so any other percent sign is literal.
  return name && line(name.replaceAll('%22', '"').replaceAll(/%0[DA]/gi, ' '))
}

function decoded(text: string | undefined): string | undefined {
  try {
    return text && decodeURIComponent(text)
  } catch {
    return undefined
  }
}
