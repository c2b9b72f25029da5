import { MENTION } from '../../../../supabase/functions/_shared/facts.ts'
import { mentionName } from '../../../domain/note-references.ts'

export type Person = { id: string; name: string; isGroup?: boolean }
export type Run = { text: string; person?: string }

export function runsOf(body: string): Run[] {
  const runs: Run[] = []
  let reached = 0
  for (const mention of body.matchAll(MENTION)) {
    if (mention.index > reached) runs.push({ text: body.slice(reached, mention.index) })
    runs.push({ text: `@${mention[1]}`, person: mention[2] ?? '' })
    reached = mention.index + mention[0].length
  }
  if (reached < body.length) runs.push({ text: body.slice(reached) })
  return runs
}

/** Converts typed mentions ("@Ada Lovelace") to their stored form. The longest name wins; of equal ones, the first. */
export function withMentions(text: string, people: readonly Person[]): string {
  const byLength = people.toSorted((a, b) => b.name.length - a.name.length)
  let stored = ''
  let at = 0
  while (at < text.length) {
    const named = text[at] === '@' ? byLength.find(({ name }) => text.startsWith(name, at + 1)) : undefined
    stored += named ? `@[${mentionName(named.name)}](${named.id})` : text[at]
    at += named ? named.name.length + 1 : 1
  }
  return stored
}

/** The text between the last @ and the caret; undefined if it isn't a mention. */
export function mentionAt(text: string, caret: number): { start: number; typed: string } | undefined {
  const start = text.lastIndexOf('@', caret - 1)
  if (start === -1 || (start > 0 && !/\s|\(/.test(text.charAt(start - 1)))) return undefined
  const typed = text.slice(start + 1, caret)
  return /^[^\n@]{0,40}$/.test(typed) ? { start, typed } : undefined
}
