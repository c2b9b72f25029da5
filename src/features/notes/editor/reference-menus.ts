import { type Editor, Extension, type Range } from '@tiptap/core'
import { PluginKey } from '@tiptap/pm/state'
import { Suggestion } from '@tiptap/suggestion'
import { FileText, TextQuote, UserRound, Users } from 'lucide-react'
import { documentAddress, mentionName } from '../../../domain/note-references.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import type { FindTitle } from './document-links.ts'
import type { LinkDrawing } from './link-faces.tsx'
import { type MenuEntry, type MenuStore, renderInto } from './menu-store.ts'

/** A passage to cite. @property excerpt Shown in the menu. @property quote The cited words. */
type CitedPassage = {
  id: string
  document: string
  title: string
  page: number | null
  excerpt: string
  quote: string
}

export type References = {
  library: string
  people: () => readonly { id: string; name: string; isGroup?: boolean }[]
  findDocuments: (words: string) => Promise<readonly { id: string; title: string }[]>
  findPassages: (words: string) => Promise<readonly CitedPassage[]>
  findTitle: FindTitle
  drawing: LinkDrawing
}
type Finds = Pick<References, 'library' | 'people' | 'findDocuments' | 'findPassages'>

const OFFERED = 8
/** Milliseconds after the last letter. */
const PAUSE = 150

/** Menus of people on `@`, and of documents on `[[`. */
export const referenceMenus = (store: MenuStore, { library, people, findDocuments, findPassages }: Finds) =>
  Extension.create({
    name: 'referenceMenus',
    priority: 200,
    addProseMirrorPlugins() {
      const { editor } = this
      return [
        Suggestion<MenuEntry>({
          editor,
          pluginKey: new PluginKey('mentionMenu'),
          char: '@',
          allowedPrefixes: [' ', '('],
          allow: ({ state, range }) => !state.doc.resolve(range.from).parent.type.spec.code,
          items: ({ query }) =>
            people()
              .filter(({ name }) => name.toLowerCase().includes(query.toLowerCase()))
              .slice(0, OFFERED)
              .map(({ id, name, isGroup }) => ({
                id,
                label: name,
                icon: isGroup ? Users : UserRound,
                run: (editor, range) => {
                  const mention = { type: 'mention', attrs: { id, label: mentionName(name) } }
                  editor
                    .chain()
                    .focus()
                    .insertContentAt(range, [mention, { type: 'text', text: ' ' }])
                    .run()
                },
              })),
          command: ({ editor, range, props }) => props.run(editor, range),
          render: renderInto(store, t('People to mention')),
        }),
        Suggestion<MenuEntry>({
          editor,
          pluginKey: new PluginKey('documentMenu'),
          char: '[[',
          allowSpaces: true,
          allowedPrefixes: null,
          debounce: PAUSE,
          allow: ({ state, range }) => !state.doc.resolve(range.from).parent.type.spec.code,
          // Finds nothing offline.
          items: async ({ query }) => {
            const words = query.trim()
            const [documents, passages] = await Promise.all([
              findDocuments(words).catch(() => []),
              findPassages(words).catch(() => []),
            ])
            return [
              ...documents.slice(0, OFFERED).map((document) => documentEntry(library, document)),
              ...passages.map((passage) => passageEntry(library, passage)),
            ]
          },
          command: ({ editor, range, props }) => props.run(editor, range),
          render: renderInto(store, t('Documents and passages to link')),
        }),
      ]
    },
  })

function documentEntry(library: string, { id, title }: { id: string; title: string }): MenuEntry {
  return {
    id,
    label: title,
    icon: FileText,
    run: (editor, range) => insertAt(editor, range, [linkTo(documentAddress(library, id), title), ' ']),
  }
}

function passageEntry(library: string, { id, document, title, page, excerpt, quote }: CitedPassage): MenuEntry {
  const address = documentAddress(library, document, { ...(page ? { page } : {}), quote })
  const name = page ? t('{title}, p. {page}', { title, page }) : title
  return {
    id,
    label: excerpt,
    hint: title,
    icon: TextQuote,
    run: (editor, range) =>
      insertAt(editor, range, [`${t('“{words}”', { words: quote })} (`, linkTo(address, name), ') ']),
  }
}

type Link = { text: string; href: string }
const linkTo = (href: string, text: string): Link => ({ text, href })

function insertAt(editor: Editor, range: Range, pieces: readonly (string | Link)[]): void {
  const content = pieces.map((piece) =>
    typeof piece === 'string'
      ? { type: 'text', text: piece }
      : { type: 'text', text: piece.text, marks: [{ type: 'link', attrs: { href: piece.href } }] },
  )
  editor.chain().focus().insertContentAt(range, content).run()
}
