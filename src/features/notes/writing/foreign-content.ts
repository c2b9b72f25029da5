import * as Y from 'yjs'
import { noteSchema } from '../document/extensions.ts'

/** Nesting depth. The editor and the Markdown writer recurse per level and would overflow the stack. */
const MAX_DEPTH = 500

/** Yjs distinguishes marks of the same kind on the same text by a hash after the name. */
const isKnownMark = (key: string): boolean => Object.hasOwn(noteSchema.marks, key.replace(/--.{8}$/, ''))

/** Removes unsupported content from a transaction's changes: any writer can send anything, and the editor would drop
 *  the whole paragraph or fail. All writers do so with the same result.
 *  @returns the removed items. */
export function removeForeign(fragment: Y.XmlFragment, transaction: Y.Transaction): ReadonlySet<Y.Item> {
  const removed = new Set<Y.Item>()
  const waiting: { type: Y.XmlFragment | Y.XmlText; depth: number }[] = []
  for (const type of transaction.changed.keys()) {
    if (!(type instanceof Y.XmlFragment || type instanceof Y.XmlText)) continue
    const depth = depthIn(fragment, type as Y.AbstractType<unknown>)
    if (depth !== undefined) waiting.push({ type, depth })
  }
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const { type, depth } = next
    for (let item = type._start; item; item = item.right) {
      if (item.deleted) continue
      if (!isKnown(item, type, fragment) || depth >= MAX_DEPTH) {
        removed.add(item)
        item.delete(transaction)
      } else if (item.content instanceof Y.ContentType)
        waiting.push({ type: item.content.type as Y.XmlElement | Y.XmlText, depth: depth + 1 })
    }
  }
  return removed
}

function isKnown({ content }: Y.Item, parent: Y.XmlFragment | Y.XmlText, fragment: Y.XmlFragment): boolean {
  if (parent instanceof Y.XmlText)
    return content instanceof Y.ContentString || (content instanceof Y.ContentFormat && isKnownMark(content.key))
  if (!(content instanceof Y.ContentType)) return false
  return content.type instanceof Y.XmlElement || (content.type instanceof Y.XmlText && parent !== fragment)
}

/** Returns a type's nesting depth; undefined outside the fragment. */
function depthIn(fragment: Y.XmlFragment, type: Y.AbstractType<unknown>): number | undefined {
  let depth = 0
  for (let at: Y.AbstractType<unknown> | null = type; at; at = at.parent as Y.AbstractType<unknown> | null) {
    if (at === fragment) return depth
    depth += 1
  }
  return undefined
}
