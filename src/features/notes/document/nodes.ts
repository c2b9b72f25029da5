import { Mark, mergeAttributes, Node, nodeInputRule } from '@tiptap/core'

/** A mentioned member: `@[Name](person id)`, as in comments. */
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

export const Picture = Node.create({
  name: 'image',
  group: 'inline',
  inline: true,
  draggable: true,
  addAttributes: () => ({
    src: {
      default: '',
      parseHTML: (element: HTMLElement) => element.dataset.src ?? element.getAttribute('src'),
      // A remote picture would reveal who opens the note, and when, so only stored ones are loaded.
      renderHTML: ({ src }: Record<string, unknown>) =>
        String(src).startsWith('data:image/') ? { src, 'data-src': src } : { 'data-src': src },
    },
    alt: { default: '' },
    title: { default: null },
  }),
  // Pasted data URLs would make the text as large as the picture.
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

/** A block that the editor doesn't support, such as HTML, a footnote or a definition: its source is edited as text. */
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

/** Inline Markdown that the editor doesn't support, such as an HTML tag or a footnote reference. */
export const SourceMark = Mark.create({
  name: 'source',
  excludes: '',
  inclusive: false,
  code: true,
  parseHTML: () => [{ tag: 'span[data-markdown-source]' }],
  renderHTML: ({ HTMLAttributes }) => ['span', mergeAttributes(HTMLAttributes, { 'data-markdown-source': '' }), 0],
})
