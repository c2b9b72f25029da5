import type { Node } from '@tiptap/pm/model'
import type { BlockContent, DefinitionContent, List, ListItem, PhrasingContent, Root, TableRow } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { defaultHandlers, type Options, toMarkdown } from 'mdast-util-to-markdown'
import { phrasingOf } from './inline-to-markdown.ts'

type Block = BlockContent | DefinitionContent

declare module 'mdast' {
  interface ListData {
    sign?: string
  }
}

const OPTIONS: Options = {
  bullet: '-',
  rule: '-',
  listItemIndent: 'one',
  // Unaligned, so that a changed cell doesn't change other rows.
  extensions: [gfmToMarkdown({ tablePipeAlign: false })],
  handlers: {
    list(node: List, parent, state, info) {
      const { bullet, bulletOrdered } = state.options
      const sign = node.data?.sign ?? '-'
      if (node.ordered) state.options.bulletOrdered = sign === ')' ? ')' : '.'
      else state.options.bullet = sign === '*' || sign === '+' ? sign : '-'
      const text = defaultHandlers.list(node, parent, state, info)
      Object.assign(state.options, { bullet, bulletOrdered })
      return text
    },
    text(node, parent, state, info) {
      // An underscore between letters never starts emphasis, so `snake_case` needs no backslash.
      return defaultHandlers.text(node, parent, state, info).replaceAll(/(?<=[\p{L}\p{N}])\\_(?=[\p{L}\p{N}])/gu, '_')
    },
  },
}

/** Writes a top-level block as Markdown, without a trailing newline.
 *  @param listSign Overrides a list's marker: adjacent lists with the same one would be parsed as one. */
export function blockToMarkdown(node: Node, listSign?: string): string {
  if (node.type.name === 'sourceBlock') return node.textContent
  const block = blockOf(node)
  if (listSign && block.type === 'list') block.data = { sign: listSign }
  const root: Root = { type: 'root', children: [block] }
  return toMarkdown(root, OPTIONS).replace(/\n$/, '')
}

function blockOf(node: Node): Block {
  switch (node.type.name) {
    case 'paragraph':
      return { type: 'paragraph', children: phrasingOf(node) }
    case 'heading':
      return { type: 'heading', depth: node.attrs.level, children: phrasingOf(node) }
    case 'blockquote':
      return { type: 'blockquote', children: blocksOf(node) }
    case 'codeBlock':
      return {
        type: 'code',
        lang: node.attrs.language,
        // Without a language, meta would be parsed as one.
        meta: node.attrs.language ? node.attrs.meta : null,
        value: node.textContent,
      }
    case 'horizontalRule':
      return { type: 'thematicBreak' }
    case 'bulletList':
    case 'orderedList':
      return listOf(node)
    case 'table':
      return {
        type: 'table',
        align: node.firstChild?.children.map((cell) => cell.attrs.align) ?? [],
        children: node.children.map(rowOf),
      }
    case 'sourceBlock':
      return { type: 'html', value: node.textContent }
    default:
      throw new Error(`A block “${node.type.name}” has no form in Markdown.`)
  }
}

/** Markdown has no empty paragraphs. */
const blocksOf = (node: Node): Block[] => node.children.filter((child) => !isEmptyParagraph(child)).map(blockOf)

export const isEmptyParagraph = (node: Node): boolean => node.type.name === 'paragraph' && node.content.size === 0

function listOf(node: Node): List {
  const spread = !node.attrs.tight
  const ordered = node.type.name === 'orderedList'
  return {
    type: 'list',
    ordered,
    start: ordered ? node.attrs.start : null,
    spread,
    data: { sign: ordered ? node.attrs.delimiter : node.attrs.marker },
    children: node.children.map((item): ListItem => {
      const { checked } = item.attrs
      const children = blocksOf(item)
      // A check box needs a paragraph.
      if (checked !== null && children[0]?.type !== 'paragraph') children.unshift({ type: 'paragraph', children: [] })
      return { type: 'listItem', checked, spread, children }
    }),
  }
}

const rowOf = (row: Node): TableRow => ({
  type: 'tableRow',
  children: row.children.map((cell) => ({
    type: 'tableCell',
    children: cell.firstChild ? phrasingOf(cell.firstChild).map(withoutBreak) : [],
  })),
})

/** A table row is one line. */
const withoutBreak = (node: PhrasingContent): PhrasingContent => {
  if (node.type === 'break') return { type: 'html', value: '<br>' }
  return 'children' in node ? ({ ...node, children: node.children.map(withoutBreak) } as PhrasingContent) : node
}
