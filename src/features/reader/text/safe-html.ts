import DOMPurify from 'dompurify'
import { marked } from 'marked'

/** Draws nothing that could act, load from elsewhere, cover the page, or post what somebody types. */
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

purify.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement && node.hasAttribute('href')) {
    node.target = '_blank'
    node.rel = 'noopener noreferrer nofollow'
  }
  // A picture from elsewhere would tell its owner who reads this document, and when.
  if (node instanceof HTMLImageElement && !node.getAttribute('src')?.startsWith('data:image/')) {
    node.removeAttribute('src')
  }
})

/** @returns HTML that may be put into the page, whoever wrote it. */
export const safeHtml = (html: string): string => purify.sanitize(html, RULES)

export const safeMarkdown = (markdown: string): string => safeHtml(marked.parse(markdown, { async: false, gfm: true }))
