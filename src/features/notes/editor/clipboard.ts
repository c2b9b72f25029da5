import { Extension } from '@tiptap/core'
import { Fragment, Slice } from '@tiptap/pm/model'
import { Plugin } from '@tiptap/pm/state'
import { readMarkdown } from '../document/read-markdown.ts'
import { writeMarkdown } from '../document/write-markdown.ts'

/** Pastes text as Markdown, and copies Markdown as plain text. Mod+Shift+V pastes literally. */
export const Clipboard = Extension.create({
  name: 'clipboard',
  addProseMirrorPlugins() {
    const { schema } = this.editor
    return [
      new Plugin({
        props: {
          // Undefined falls back to ProseMirror, whose types only allow a slice.
          clipboardTextParser: (text, context, isPlain) => {
            if (isPlain || context.parent.type.spec.code) return undefined as unknown as Slice
            const { content } = schema.nodeFromJSON(withoutSources(readMarkdown(text).toJSON()))
            // A paragraph at either end joins the surrounding text.
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

/** Pasted blocks get their own whitespace. */
const withoutSources = (doc: Json): Json => ({
  ...doc,
  content: (doc.content ?? []).map((block) => ({ ...block, attrs: { ...block.attrs, source: null } })),
})
