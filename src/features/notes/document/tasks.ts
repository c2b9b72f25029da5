import { nodesOf, parseMarkdown } from './parse.ts'

/** Toggles a check box in a text.
 *  @param index From 0. @param count The number of check boxes in the rendered text.
 *  @returns undefined if the text has a different number: then the index is ambiguous. */
export function toggleTask(text: string, index: number, count: number): string | undefined {
  const tasks = [...nodesOf(parseMarkdown(text))].filter(
    (node) => node.type === 'listItem' && typeof node.checked === 'boolean',
  )
  const start = tasks[index]?.position?.start.offset
  if (tasks.length !== count || start === undefined) return undefined
  return (
    text.slice(0, start) +
    text.slice(start).replace(/\[([ xX\t\r\n])\]/, (_, sign: string) => (sign.toLowerCase() === 'x' ? '[ ]' : '[x]'))
  )
}
