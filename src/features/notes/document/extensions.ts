import { Extension, getSchema } from '@tiptap/core'
import { Code } from '@tiptap/extension-code'
import { Heading } from '@tiptap/extension-heading'
import { Link } from '@tiptap/extension-link'
import { ListItem } from '@tiptap/extension-list'
import type { Schema } from '@tiptap/pm/model'
import { StarterKit } from '@tiptap/starter-kit'
import { Mention, Picture, SourceBlock, SourceMark } from './nodes.ts'
import { Table, TableCell, TableHeader, TableRow } from './tables.ts'

/** Markdown attributes that Tiptap's nodes lack. They don't appear in HTML. */
const MarkdownAttributes = Extension.create({
  name: 'markdownAttributes',
  addGlobalAttributes: () => [
    {
      // A block's source text: see write-markdown.ts.
      types: [
        'paragraph',
        'heading',
        'blockquote',
        'bulletList',
        'orderedList',
        'codeBlock',
        'horizontalRule',
        'table',
        'sourceBlock',
      ],
      attributes: { source: { default: null, rendered: false, keepOnSplit: false, parseHTML: () => null } },
    },
    { types: ['codeBlock'], attributes: { meta: { default: null, rendered: false } } },
    {
      types: ['bulletList', 'orderedList'],
      attributes: {
        tight: {
          default: true,
          parseHTML: () => true,
          renderHTML: ({ tight }) => (tight ? { 'data-tight': '' } : {}),
        },
      },
    },
    { types: ['bulletList'], attributes: { marker: { default: '-', rendered: false } } },
    { types: ['orderedList'], attributes: { delimiter: { default: '.', rendered: false } } },
  ],
})

/** One node for both kinds: GFM allows lists that mix items with and without a check box. */
const Item = ListItem.extend({
  content: 'block+',
  addAttributes: () => ({
    /** Null without a check box. */
    checked: {
      default: null,
      parseHTML: (element: HTMLElement) => {
        if (element.dataset.checked) return element.dataset.checked === 'true'
        const box = element.querySelector<HTMLInputElement>(
          ':scope > input[type=checkbox], :scope > p > input[type=checkbox]',
        )
        return box ? box.checked : null
      },
      renderHTML: ({ checked }: Record<string, unknown>) => (checked === null ? {} : { 'data-checked': checked }),
    },
  }),
})

const MarkdownLink = Link.extend({
  addAttributes: () => ({ href: { default: null }, title: { default: null } }),
})

/** Lets the text's own direction decide the side of bullets, numbers and columns. */
const OWN_DIRECTION = { HTMLAttributes: { dir: 'auto' } }

/** A note's schema. Excludes undo history, because Yjs has its own. */
export const noteExtensions = [
  StarterKit.configure({
    blockquote: OWN_DIRECTION,
    bulletList: OWN_DIRECTION,
    orderedList: OWN_DIRECTION,
    code: false,
    heading: false,
    link: false,
    listItem: false,
    trailingNode: false,
    underline: false,
    undoRedo: false,
  }),
  // Markdown allows strong code, and headings are one line.
  Code.extend({ excludes: '' }),
  Heading.extend({ content: '(text | image | mention)*' }),
  MarkdownLink.configure({ openOnClick: false, HTMLAttributes: { target: null, rel: null } }),
  Item,
  Mention,
  Picture,
  SourceBlock,
  SourceMark,
  Table,
  TableRow,
  TableHeader,
  TableCell,
  MarkdownAttributes,
]

type NodeName =
  | 'doc'
  | 'paragraph'
  | 'text'
  | 'heading'
  | 'blockquote'
  | 'bulletList'
  | 'orderedList'
  | 'listItem'
  | 'codeBlock'
  | 'horizontalRule'
  | 'hardBreak'
  | 'image'
  | 'mention'
  | 'sourceBlock'
  | 'table'
  | 'tableRow'
  | 'tableHeader'
  | 'tableCell'
type MarkName = 'bold' | 'italic' | 'strike' | 'code' | 'link' | 'source'

export const noteSchema = getSchema(noteExtensions) as Schema<NodeName, MarkName>
