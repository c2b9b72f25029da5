import { Mark, mergeAttributes, Node, nodeInputRule } from '@tiptap/core'

/** A member of the library who is mentioned: `@[Name](id of the person)`, as in comments. */
export const Mention = Node.create({
  name: 'mention',
  group: 'inline',
  inline: true,
  atom: true,
  selectable: false,
  addAttributes: () => ({
    id: { default: null, parseHTML: (element: HTMLElement) => element.dataset.mention, rendered: false },
    label: { default: '', parseHTML: (element: HTMLElement) => element.textContent.replace(/^@/, ''), rendered: false },
  }),
  parseHTML: () => [{ tag: 'span[data-mention]' }],
  renderHTML: ({ node }) => ['span', { 'data-mention': node.attrs.id, class: 'mention' }, `@${node.attrs.label}`],
  renderText: ({ node }) => `@${node.attrs.label}`,
})

/** `![description](address "title")` */
export const Picture = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  addAttributes: () => ({
    src: {
      default: '',
      parseHTML: (element: HTMLElement) => element.dataset.src ?? element.getAttribute('src'),
      // A picture from elsewhere would tell its owner who opens this note, and when: only its own bytes are shown.
      renderHTML: ({ src }: Record<string, unknown>) =>
        String(src).startsWith('data:image/') ? { src, 'data-src': src } : { 'data-src': src },
    },
    alt: { default: '' },
    title: { default: null },
  }),
  // Bytes that are pasted would make the text as large as the picture.
  parseHTML: () => [{ tag: 'img[data-src]' }, { tag: 'img[src]:not([src^="data:"], [src^="blob:"], [src^="file:"])' }],
  renderHTML: ({ HTMLAttributes }) => ['img', HTMLAttributes],
  addInputRules() {
    return [
      nodeInputRule({
        find: /(?:^|\s)(!\[(.+|:?)]\((\S+)(?:\s+["'](\S+)["'])?\))$/,
        type: this.type,
        getAttributes: ([, , alt, src, title]) => ({ src, alt, title }),
      }),
    ]
  },
})

/** A block of Markdown that the editor does not know, such as HTML, a footnote or a link reference definition: its source is
 *  shown and edited as text. */
export const SourceBlock = Node.create({
  name: 'sourceBlock',
  group: 'block',
  content: 'text*',
  marks: '',
  code: true,
  defining: true,
  parseHTML: () => [{ tag: 'pre[data-markdown-source]', preserveWhitespace: 'full' }],
  renderHTML: ({ HTMLAttributes }) => ['pre', mergeAttributes(HTMLAttributes, { 'data-markdown-source': '' }), 0],
})

/** A stretch of Markdown within a text that the editor does not know, such as an HTML tag or a reference to a footnote. */
export const SourceMark = Mark.create({
  name: 'source',
  excludes: '',
  inclusive: false,
  code: true,
  parseHTML: () => [{ tag: 'span[data-markdown-source]' }],
  renderHTML: ({ HTMLAttributes }) => ['span', mergeAttributes(HTMLAttributes, { 'data-markdown-source': '' }), 0],
})
