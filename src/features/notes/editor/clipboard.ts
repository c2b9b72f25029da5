import { Extension } from '@tiptap/core'
import { Fragment, Slice } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { readMarkdown } from '../document/read-markdown.ts'
import { writeMarkdown } from '../document/write-markdown.ts'

/** Text is pasted as Markdown, and copied as Markdown for programs that take no HTML. Mod, Shift and V paste it as it is. */
export const Clipboard = Extension.create({
  name: 'clipboard',
  addProseMirrorPlugins() {
    const { schema } = this.editor
    return [
      new Plugin({
        props: {
          // Undefined leaves it to ProseMirror; its types only know a slice.
          clipboardTextParser: (text, context, isPlain) => {
            if (isPlain || context.parent.type.spec.code) return undefined as unknown as Slice
            const { content } = schema.nodeFromJSON(withoutSources(readMarkdown(text).toJSON()))
            // A paragraph at an end continues the text around it.
            const open = (node: typeof content.firstChild) => (node?.isTextblock && !node.type.spec.code ? 1 : 0)
            return new Slice(content, open(content.firstChild), open(content.lastChild))
          },
          clipboardTextSerializer: ({ content }) => {
            if (content.firstChild?.isInline) return content.textBetween(0, content.size, '\n')
            const doc = schema.topNodeType.createAndFill(null, Fragment.from(content))
            return doc ? writeMarkdown(doc) : content.textBetween(0, content.size, '\n\n')
          },
        },
      }),
    ]
  },
})

type Json = { attrs?: Record<string, unknown>; content?: Json[] }

/** What is pasted gets its own place, and with it its own space around it. */
const withoutSources = (doc: Json): Json => ({
  ...doc,
  content: (doc.content ?? []).map((block) => ({ ...block, attrs: { ...block.attrs, source: null } })),
})
