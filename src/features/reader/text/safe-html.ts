import DOMPurify from 'dompurify'
import { Marked } from 'marked'
import { pictureIn } from '../../../domain/note-pictures.ts'
import { referenceIn } from '../../../domain/note-references.ts'
import { hasDirection } from '../../../lib/i18n/direction.ts'
import { t } from '../../../lib/i18n/i18n.ts'

/** Allows nothing that could run code, load remote content, cover the page or submit input. */
const RULES = {
  USE_PROFILES: { html: true },
  FORBID_TAGS: [
    'style',
    'form',
    'input',
    'button',
    'textarea',
    'select',
    'dialog',
    'video',
    'audio',
    'iframe',
    'picture',
  ],
  FORBID_ATTR: ['style', 'class', 'id', 'name', 'srcset', 'background', 'popover'],
  ALLOW_DATA_ATTR: false,
}

const purify = DOMPurify(window)

const OWN_DIRECTION = new Set(['UL', 'OL', 'DL', 'BLOCKQUOTE', 'TABLE'])

/** Marks a check box. Attribute values from a text's HTML are removed, so it can't fake one. */
const TASK = 'data-task'
const OURS = crypto.randomUUID()

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement && node.hasAttribute('href') && !isInside(node)) {
    node.target = '_blank'
    node.rel = 'noopener noreferrer nofollow'
  }
  // Lets the text's own direction decide the side of bullets, numbers and columns.
  if (OWN_DIRECTION.has(node.tagName) && !node.hasAttribute('dir')) node.setAttribute('dir', 'auto')
  const picture = node instanceof HTMLImageElement ? pictureIn(node.getAttribute('src') ?? '') : undefined
  if (picture) node.setAttribute('data-picture', picture)
  // A remote picture would reveal who reads the document, and when.
  if (node instanceof HTMLImageElement && !node.getAttribute('src')?.startsWith('data:image/')) {
    node.removeAttribute('src')
  }
  if (node instanceof HTMLInputElement && node.getAttribute(TASK) !== OURS) node.remove()
})

const isInside = (link: HTMLAnchorElement): boolean => referenceIn(link.getAttribute('href') ?? '') !== undefined

/** Returns HTML that's safe to insert, from any author. */
export const safeHtml = (html: string): string => purify.sanitize(html, RULES)

const { FORBID_TAGS } = RULES
const NOTE_RULES = {
  ...RULES,
  FORBID_TAGS: FORBID_TAGS.filter((tag) => tag !== 'input'),
  ADD_ATTR: [TASK],
  RETURN_DOM_FRAGMENT: true as const,
}

const marked = new Marked({
  async: false,
  gfm: true,
  renderer: { checkbox: ({ checked }) => `<input type="checkbox" ${TASK}="${OURS}"${checked ? ' checked' : ''}> ` },
})

const PERSON = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/

/** Renders Markdown as safe HTML, with check boxes, mentions, and cards for links that are whole paragraphs. */
export function safeMarkdown(markdown: string): string {
  const drawn = document.createElement('div')
  drawn.append(purify.sanitize(marked.parse(markdown, { async: false }), NOTE_RULES))
  for (const box of drawn.querySelectorAll('input')) {
    box.removeAttribute(TASK)
    box.disabled = true
    box.setAttribute('aria-label', t('Done'))
  }
  for (const block of drawn.querySelectorAll('p, li, h1, h2, h3, h4, h5, h6')) {
    if (!hasDirection(block.textContent)) block.classList.add('undirected')
  }
  for (const link of drawn.querySelectorAll('a')) {
    const sign = link.previousSibling
    if (!PERSON.test(link.getAttribute('href') ?? '') || !(sign instanceof Text) || !sign.data.endsWith('@')) continue
    sign.data = sign.data.slice(0, -1)
    const mention = Object.assign(document.createElement('span'), { className: 'mention' })
    mention.textContent = `@${link.textContent}`
    link.replaceWith(mention)
  }
  for (const link of drawn.querySelectorAll('p > a')) {
    const isAlone = link.parentElement?.childNodes.length === 1
    if (isAlone && link instanceof HTMLAnchorElement && isInside(link)) link.dataset.card = ''
  }
  // An empty header cell isn't announced as a header.
  for (const cell of drawn.querySelectorAll('th')) {
    if (cell.textContent.trim() === '' && !cell.querySelector('img')) cell.replaceWith(document.createElement('td'))
  }
  return drawn.innerHTML
}
