export type Person = { id: string; name: string }
export type Run = { text: string; person?: string }

const MENTION = /@\[([^\][]{1,80})\]\(([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\)/g

/** What is kept of a comment, as runs of words: a mention says whom it means. */
export function runsOf(body: string): Run[] {
  const runs: Run[] = []
  let reached = 0
  for (const found of body.matchAll(MENTION)) {
    if (found.index > reached) runs.push({ text: body.slice(reached, found.index) })
    runs.push({ text: `@${found[1]}`, person: found[2] ?? '' })
    reached = found.index + found[0].length
  }
  if (reached < body.length) runs.push({ text: body.slice(reached) })
  return runs
}

export const callsSomebody = (body: string): boolean => body.search(MENTION) !== -1

/** What is written, "@Ada Lovelace" and all, as it is kept. The longest name that fits is meant; a name that two people
 *  have means the first of them. */
export function withMentions(written: string, people: readonly Person[]): string {
  const byLength = people.toSorted((a, b) => b.name.length - a.name.length)
  let kept = ''
  let at = 0
  while (at < written.length) {
    const named = written[at] === '@' ? byLength.find(({ name }) => written.startsWith(name, at + 1)) : undefined
    kept += named ? `@[${plain(named.name)}](${named.id})` : written[at]
    at += named ? named.name.length + 1 : 1
  }
  return kept
}

const plain = (name: string): string => name.replaceAll(/[\][]/g, '').slice(0, 80) || 'somebody'

/** What is being typed after the last @, up to the caret; undefined when that is no mention. */
export function mentionAt(written: string, caret: number): { start: number; typed: string } | undefined {
  const start = written.lastIndexOf('@', caret - 1)
  if (start === -1 || (start > 0 && !/\s|\(/.test(written.charAt(start - 1)))) return undefined
  const typed = written.slice(start + 1, caret)
  return /^[^\n@]{0,40}$/.test(typed) ? { start, typed } : undefined
}
