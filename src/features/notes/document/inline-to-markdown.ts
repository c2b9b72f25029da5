import { Fragment, type Mark, type Node } from '@tiptap/pm/model'
import type { PhrasingContent } from 'mdast'

export function phrasingOf(block: Node): PhrasingContent[] {
  return nest(trimLines(leaveMarks(block.children)), [])
}

/** Marks whose delimiters must touch the text: `** x**` isn't strong. */
const TOUCHING = ['bold', 'italic', 'strike']

/** Moves spaces at the edges of marks out of them. */
function leaveMarks(inline: readonly Node[]): Node[] {
  let nodes = [...inline]
  for (const name of TOUCHING) {
    const has = (node: Node | undefined) => node?.marks.some(({ type }) => type.name === name) ?? false
    nodes = nodes.flatMap((node, index) => {
      if (!node.isText || !has(node)) return node.type.name === 'hardBreak' ? without(node, name) : node
      const text = node.text ?? ''
      const start = has(nodes[index - 1]) ? 0 : text.length - text.trimStart().length
      const end = has(nodes[index + 1]) ? text.length : Math.max(start, text.trimEnd().length)
      const cut = (from: number, to: number) => (from < to ? [node.cut(from, to)] : [])
      return [
        ...cut(0, start).map((part) => without(part, name)),
        ...cut(start, end),
        ...cut(end, text.length).map((part) => without(part, name)),
      ]
    })
  }
  return joined(nodes)
}

const without = (node: Node, name: string): Node => node.mark(node.marks.filter(({ type }) => type.name !== name))
const joined = (nodes: readonly Node[]): Node[] => [...Fragment.fromArray([...nodes]).content]

/** Trims spaces at line edges, which Markdown ignores. */
function trimLines(nodes: readonly Node[]): Node[] {
  const isEdge = (node: Node | undefined) => !node || node.type.name === 'hardBreak'
  const trimmed = nodes.flatMap((node, index) => {
    if (!node.isText || node.marks.some(({ type }) => type.name === 'code')) return node
    const text = node.text ?? ''
    const start = isEdge(nodes[index - 1]) ? text.length - text.replace(/^[ \t\n]+/, '').length : 0
    const end = isEdge(nodes[index + 1]) ? text.replace(/[ \t\n]+$/, '').length : text.length
    return start < end ? node.cut(start, end) : []
  })
  if (trimmed.length < nodes.length) return trimLines(trimmed)
  // A trailing break isn't a break.
  return trimmed.at(-1)?.type.name === 'hardBreak' ? trimLines(trimmed.slice(0, -1)) : trimmed
}

/** Turns sets of marks into a tree: of the marks starting at a position, the longest is outermost.
 *  @param open Marks that enclose these nodes. */
function nest(nodes: readonly Node[], open: readonly Mark[]): PhrasingContent[] {
  const tree: PhrasingContent[] = []
  for (let at = 0; at < nodes.length; ) {
    const node = nodes[at]
    if (!node) break
    let outer: { mark: Mark; end: number } | undefined
    for (const mark of node.marks) {
      if (mark.isInSet(open) || mark.type.name === 'code' || mark.type.name === 'source') continue
      let end = at + 1
      while (nodes[end] && mark.isInSet(nodes[end]?.marks ?? [])) end += 1
      if (!outer || end > outer.end) outer = { mark, end }
    }
    if (outer) {
      tree.push(markOf(outer.mark, nest(nodes.slice(at, outer.end), [...open, outer.mark])))
      at = outer.end
    } else {
      tree.push(...leafOf(node))
      at += 1
    }
  }
  return tree
}

function markOf(mark: Mark, children: PhrasingContent[]): PhrasingContent {
  switch (mark.type.name) {
    case 'bold':
      return { type: 'strong', children }
    case 'italic':
      return { type: 'emphasis', children }
    case 'strike':
      return { type: 'delete', children }
    case 'link':
      return {
        type: 'link',
        url: mark.attrs.href ?? '',
        title: mark.attrs.title,
        // Links can't be nested: a mention becomes its name.
        children: children as Extract<PhrasingContent, { type: 'link' }>['children'],
      }
    default:
      throw new Error(`A mark “${mark.type.name}” has no form in Markdown.`)
  }
}

function leafOf(node: Node): PhrasingContent[] {
  const has = (name: string) => node.marks.some(({ type }) => type.name === name)
  const { src, alt, title, id, label } = node.attrs
  switch (node.type.name) {
    case 'image':
      return [{ type: 'image', url: src, alt, title }]
    case 'mention':
      if (has('link')) return [{ type: 'text', value: `@${label}` }]
      return [
        { type: 'text', value: '@' },
        { type: 'link', url: id, title: null, children: [{ type: 'text', value: label }] },
      ]
    case 'hardBreak':
      return [{ type: 'break' }]
    default: {
      const value = (node.text ?? '').replaceAll(/\s*[\r\n]+\s*/g, ' ')
      if (has('source')) return [{ type: 'html', value }]
      return [has('code') ? { type: 'inlineCode', value } : { type: 'text', value }]
    }
  }
}
