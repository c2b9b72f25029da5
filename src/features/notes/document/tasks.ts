import { nodesOf, parseMarkdown } from './parse.ts'

/** A text with one of its check boxes ticked, or no longer.
 *  @param index Counted from the beginning. @param count How many there are where the text is shown.
 *  @returns undefined when the text has another number of them: then nobody knows which one is meant. */
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
