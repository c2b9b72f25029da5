import { MAX_LENGTH } from '../../../../supabase/functions/_shared/facts.ts'

/** Parses a typed or pasted web address, without its fragment. Assumes https. @returns undefined if it isn't one. */
export function webAddress(typed: string): string | undefined {
  const text = typed.trim()
  if (text === '' || /\s/.test(text)) return undefined
  const scheme = /^[a-z][a-z0-9+.-]*:(?!\d)/i.exec(text)?.[0]
  if (scheme && !/^https?:$/i.test(scheme)) return undefined
  let url: URL
  try {
    url = new URL(scheme ? text : `https://${text}`)
  } catch {
    return undefined
  }
  if (url.username || url.password || !/[.:]|^localhost$/.test(url.hostname)) return undefined
  url.hash = ''
  return url.href.length <= MAX_LENGTH['documents.url'] ? url.href : undefined
}
