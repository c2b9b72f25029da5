import { Extension } from '@tiptap/core'
import { PluginKey } from '@tiptap/pm/state'
import { Suggestion } from '@tiptap/suggestion'
import { FileText, UserRound } from 'lucide-react'
import { documentAddress, mentionName } from '../../../domain/note-references.ts'
import { t } from '../../../lib/i18n/i18n.ts'
import { type MenuEntry, type MenuStore, renderInto } from './menu-store.ts'

/** What a note can refer to. */
export type References = {
  library: string
  people: () => readonly { id: string; name: string }[]
  findDocuments: (words: string) => Promise<readonly { id: string; title: string }[]>
}

const OFFERED = 8
/** Milliseconds after the last letter until documents are searched. */
const PAUSE = 150

/** The menus of members, on `@`, and of documents, on `[[`. */
export const referenceMenus = (store: MenuStore, { library, people, findDocuments }: References) =>
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
              .map(({ id, name }) => ({
                id,
                label: name,
                icon: UserRound,
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
          // Without network, nothing is found.
          items: async ({ query }) =>
            (await findDocuments(query.trim()).catch(() => [])).slice(0, OFFERED).map(({ id, title }) => ({
              id,
              label: title,
              icon: FileText,
              run: (editor, range) => {
                const marks = [{ type: 'link', attrs: { href: documentAddress(library, id) } }]
                editor
                  .chain()
                  .focus()
                  .insertContentAt(range, [
                    { type: 'text', text: title, marks },
                    { type: 'text', text: ' ' },
                  ])
                  .run()
              },
            })),
          command: ({ editor, range, props }) => props.run(editor, range),
          render: renderInto(store, t('Documents to link')),
        }),
      ]
    },
  })
