import type { Mark, Node } from '@tiptap/pm/model'
import type { Definition, List, ListItem, PhrasingContent, RootContent, Table } from 'mdast'
import { gfmToMarkdown } from 'mdast-util-gfm'
import { toMarkdown } from 'mdast-util-to-markdown'
import { noteSchema } from './extensions.ts'

/** @property text The parsed text.
 *  @property definitions The first definition of each identifier.
 *  @property raw The source of a top-level block; undefined for nested blocks, whose lines have the outer blocks'
 *  prefixes. */
type Context = { text: string; definitions: ReadonlyMap<string, Definition>; raw?: string }

const { nodes, marks } = noteSchema
const PERSON = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

export function blockFrom(block: RootContent, context: Context): Node {
  const within = { text: context.text, definitions: context.definitions }
  switch (block.type) {
    case 'paragraph':
      if (context.raw && /^\$\$[\s\S]*\$\$$/.test(context.raw)) return sourceFrom(context.raw)
      return nodes.paragraph.create(null, inlineFrom(block.children, context))
    case 'heading':
      return nodes.heading.create({ level: block.depth }, withoutBreaks(inlineFrom(block.children, context)))
    case 'blockquote':
      return nodes.blockquote.create(null, blocksFrom(block.children, within))
    case 'code':
      return nodes.codeBlock.create({ language: block.lang ?? null, meta: block.meta ?? null }, textOf(block.value))
    case 'thematicBreak':
      return nodes.horizontalRule.create()
    case 'list':
      return listFrom(block, within)
    case 'table':
      return tableFrom(block, context) ?? sourceFrom(context.raw ?? sourceOf(block))
    case 'html':
      return sourceFrom(context.raw ?? block.value)
    default:
      return sourceFrom(context.raw ?? sourceOf(block))
  }
}

const blocksFrom = (blocks: readonly RootContent[], context: Context): Node[] =>
  blocks.length === 0 ? [nodes.paragraph.create()] : blocks.map((block) => blockFrom(block, context))

const sourceFrom = (source: string): Node => nodes.sourceBlock.create(null, textOf(source))
const sourceOf = (block: RootContent): string => toMarkdown(block, { extensions: [gfmToMarkdown()] }).trimEnd()
const textOf = (text: string) => (text ? noteSchema.text(text) : null)

function listFrom(list: List, context: Context): Node {
  const tight = !hasBlankLine(list.children) && !list.children.some(({ children }) => hasBlankLine(children))
  const items = list.children.map((item) => itemFrom(item, context))
  const sign = context.text.slice(list.position?.start.offset).match(/^\d*(.)/)?.[1]
  return list.ordered
    ? nodes.orderedList.create({ start: list.start ?? 1, tight, delimiter: sign === ')' ? ')' : '.' }, items)
    : nodes.bulletList.create({ tight, marker: sign === '*' || sign === '+' ? sign : '-' }, items)
}

/** Whether a blank line separates siblings. The tree's `spread` also counts trailing lines. */
const hasBlankLine = (siblings: readonly RootContent[]): boolean =>
  siblings.some(({ position }, index) => {
    const before = siblings[index - 1]
    return before && position && position.start.line - lastLineOf(before) > 1
  })

/** The end of a list in a blockquote may include the blank line after it. */
function lastLineOf(block: RootContent): number {
  const last = block.type === 'list' || block.type === 'listItem' ? block.children.at(-1) : undefined
  return last ? lastLineOf(last) : (block.position?.end.line ?? 0)
}

function itemFrom(item: ListItem, context: Context): Node {
  const blocks = blocksFrom(item.children, context)
  const checked = item.checked ?? null
  // GFM requires a space after an empty item's check box.
  if (checked !== null && blocks[0]?.childCount === 1 && blocks[0].firstChild?.text === ' ')
    blocks[0] = nodes.paragraph.create()
  return nodes.listItem.create({ checked }, blocks)
}

/** Undefined for a table with a row longer than its header: GFM drops those cells. */
function tableFrom(table: Table, context: Context): Node | undefined {
  const columns = table.children[0]?.children.length ?? 0
  if (columns === 0 || table.children.some(({ children }) => children.length > columns)) return undefined
  const rows = table.children.map(({ children }, index) => {
    const type = index === 0 ? nodes.tableHeader : nodes.tableCell
    const cells = Array.from({ length: columns }, (_, column) =>
      type.create(
        { align: table.align?.[column] ?? null },
        nodes.paragraph.create(null, inlineFrom(children[column]?.children ?? [], context, { inCell: true })),
      ),
    )
    return nodes.tableRow.create(null, cells)
  })
  return nodes.table.create(null, rows)
}

const withoutBreaks = (inline: readonly Node[]): Node[] =>
  inline.map((node) => (node.type === nodes.hardBreak ? noteSchema.text(' ', node.marks) : node))

type Where = { inCell?: boolean }

function inlineFrom(children: readonly PhrasingContent[], context: Context, where: Where = {}): Node[] {
  const inline: Node[] = []
  const add = (text: string, active: readonly Mark[]) => {
    const plain = text.replaceAll(/[\r\n]+/g, ' ')
    if (plain) inline.push(noteSchema.text(plain, active))
  }
  const visit = (siblings: readonly PhrasingContent[], active: readonly Mark[]) => {
    const within = (mark: Mark, inner: readonly PhrasingContent[]) => visit(inner, mark.addToSet(active))
    for (const [index, node] of siblings.entries()) {
      switch (node.type) {
        case 'text':
          // The @ belongs to the mention.
          add(isMention(siblings[index + 1]) && node.value.endsWith('@') ? node.value.slice(0, -1) : node.value, active)
          break
        case 'emphasis':
          within(marks.italic.create(), node.children)
          break
        case 'strong':
          within(marks.bold.create(), node.children)
          break
        case 'delete':
          within(marks.strike.create(), node.children)
          break
        case 'inlineCode':
          add(node.value, marks.code.create().addToSet(active))
          break
        case 'break':
          inline.push(nodes.hardBreak.create(null, null, active))
          break
        case 'image':
          inline.push(pictureFrom(node, active))
          break
        case 'imageReference':
          inline.push(pictureFrom({ ...definitionOf(node.identifier, context), alt: node.alt }, active))
          break
        case 'link': {
          const before = siblings[index - 1]
          if (isMention(node) && before?.type === 'text' && before.value.endsWith('@')) {
            const label = node.children.map((child) => ('value' in child ? child.value : '')).join('')
            inline.push(nodes.mention.create({ id: node.url, label }, null, active))
          } else within(linkTo(node), node.children)
          break
        }
        case 'linkReference':
          within(linkTo(definitionOf(node.identifier, context)), node.children)
          break
        case 'html':
          if (where.inCell && /^<br\s*\/?>$/i.test(node.value)) inline.push(nodes.hardBreak.create(null, null, active))
          else add(node.value, marks.source.create().addToSet(active))
          break
        case 'footnoteReference':
          add(`[^${node.label ?? node.identifier}]`, marks.source.create().addToSet(active))
          break
      }
    }
  }
  visit(children, [])
  return inline
}

type Target = { url: string; title?: string | null | undefined }
const linkTo = ({ url, title }: Target): Mark => marks.link.create({ href: url, title: title ?? null })

const pictureFrom = (
  { url, title, alt }: Target & { alt?: string | null | undefined },
  active: readonly Mark[],
): Node => nodes.image.create({ src: url, alt: alt ?? '', title: title ?? null }, null, active)

/** References are only parsed if their definition exists. */
const definitionOf = (identifier: string, { definitions }: Context): Target =>
  definitions.get(identifier) ?? { url: '' }

const isMention = (node: PhrasingContent | undefined): boolean =>
  node?.type === 'link' && PERSON.test(node.url) && !node.title && node.children.every(({ type }) => type === 'text')
