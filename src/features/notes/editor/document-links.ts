import { Extension } from '@tiptap/core'
import type { Mark, Node, Schema } from '@tiptap/pm/model'
import { type EditorState, Plugin, PluginKey } from '@tiptap/pm/state'
import { Decoration, DecorationSet, type EditorView } from '@tiptap/pm/view'
import { type DocumentReference, documentAddress, referenceIn } from '../../../domain/note-references.ts'
import type { FaceStore } from './link-faces.tsx'

/** A document's title; undefined if the person can't see it. */
export type FindTitle = (place: DocumentReference) => Promise<string | undefined>

type DocumentLink = {
  from: number
  to: number
  href: string
  place: DocumentReference
  label: string
  /** Set if the link is the whole paragraph. */
  paragraph: { from: number; to: number } | undefined
}
const linksKey = new PluginKey<readonly DocumentLink[]>('documentLinks')

/** Document links: a pasted address becomes a link with the title, a link that is a whole paragraph is shown as a card,
 *  and an inline link indicates a missing target. */
export const documentLinks = (faces: FaceStore, findTitle: FindTitle) =>
  Extension.create({
    name: 'documentLinks',
    // Before Link, which would keep the pasted address.
    priority: 1100,
    addProseMirrorPlugins: () => [
      new Plugin({
        key: linksKey,
        state: {
          init: (_, { doc }) => linksIn(doc),
          apply: (tr, links) => (tr.docChanged ? linksIn(tr.doc) : links),
        },
        props: {
          decorations: (state) => decorate(state, faces),
          handlePaste: (view, { clipboardData }) => {
            const text = clipboardData?.getData('text/plain').trim() ?? ''
            const place = referenceIn(text)
            const isCode = view.state.selection.$from.parent.type.spec.code
            return place !== undefined && !isCode && pasteLink(view, text, place, findTitle)
          },
        },
      }),
    ],
  })

function linksIn(doc: Node): DocumentLink[] {
  const links: DocumentLink[] = []
  doc.descendants((node, pos, parent) => {
    if (!node.isTextblock) return true
    const inside = linksOf(node, pos + 1)
    const [first] = inside
    const isAlone =
      inside.length === 1 &&
      first !== undefined &&
      isParagraphOfItsOwn(node, parent) &&
      node.textContent.trim() === first.label.trim() &&
      node.children.every(({ isText }) => isText)
    links.push(
      ...inside.map((link) => ({ ...link, paragraph: isAlone ? { from: pos, to: pos + node.nodeSize } : undefined })),
    )
    return false
  })
  return links
}

/** Whether Markdown has a paragraph here: not in a tight list item or a table cell. */
const isParagraphOfItsOwn = (node: Node, parent: Node | null): boolean =>
  node.type.name === 'paragraph' && (parent?.type.name === 'doc' || parent?.type.name === 'blockquote')

function linksOf(textblock: Node, start: number): Omit<DocumentLink, 'paragraph'>[] {
  const links: Omit<DocumentLink, 'paragraph'>[] = []
  let before: Mark | undefined
  textblock.forEach((child, offset) => {
    const mark = child.marks.find(({ type }) => type.name === 'link')
    const place = mark && referenceIn(String(mark.attrs.href))
    const last = links.at(-1)
    const [from, to] = [start + offset, start + offset + child.nodeSize]
    if (mark && last && last.to === from && before?.eq(mark)) {
      links[links.length - 1] = { ...last, to, label: last.label + child.textContent }
    } else if (place) {
      links.push({ from, to, href: String(mark?.attrs.href), place, label: child.textContent })
    }
    before = mark
  })
  return links
}

function decorate(state: EditorState, faces: FaceStore): DecorationSet {
  const { head } = state.selection
  const decorations = (linksKey.getState(state) ?? []).flatMap(({ to, href, place, label, paragraph }) => {
    const draw = () => {
      const element = document.createElement('span')
      element.className = paragraph ? 'link-card' : 'link-state'
      faces.add({ element, place, label, isCard: paragraph !== undefined })
      return element
    }
    const widget = Decoration.widget(paragraph ? paragraph.to - 1 : to, draw, {
      side: 1,
      marks: [],
      ignoreSelection: true,
      key: `${paragraph ? 'card' : 'state'} ${href} ${label}`,
      destroy: (element) => faces.remove(element),
    })
    if (!paragraph) return [widget]
    // The link's text is editable while the caret is in it; otherwise the card replaces it.
    const isOpen = head > paragraph.from && head < paragraph.to
    const name = isOpen ? 'card-paragraph card-open' : 'card-paragraph'
    return [Decoration.node(paragraph.from, paragraph.to, { class: name }), widget]
  })
  return DecorationSet.create(state.doc, decorations)
}

function pasteLink(view: EditorView, text: string, place: DocumentReference, findTitle: FindTitle): boolean {
  const { state } = view
  const { schema, selection, tr } = state
  const { library, document: id, ...where } = place
  const href = documentAddress(library, id, where)
  const mark = linkMark(schema, href)
  if (!mark) return false
  if (!selection.empty && selection.$from.sameParent(selection.$to)) {
    view.dispatch(tr.addMark(selection.from, selection.to, mark))
    return true
  }
  view.dispatch(
    tr
      .replaceSelectionWith(schema.text(text, [mark]), false)
      .removeStoredMark(mark)
      .scrollIntoView(),
  )
  // Offline, the address stays.
  findTitle(place).then(
    (title) => title && !view.isDestroyed && nameLinks(view, href, text, title),
    () => undefined,
  )
  return true
}

const linkMark = (schema: Schema, href: string): Mark | undefined => schema.marks.link?.create({ href })

/** Replaces the text of links that still show their address with the title. */
function nameLinks(view: EditorView, href: string, address: string, title: string): void {
  const { tr, schema } = view.state
  for (const link of linksIn(tr.doc).toReversed()) {
    if (link.href !== href || link.label !== address) continue
    const marks = tr.doc.nodeAt(link.from)?.marks ?? []
    tr.replaceWith(link.from, link.to, schema.text(title, marks))
  }
  if (tr.docChanged) view.dispatch(tr)
}
