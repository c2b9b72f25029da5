/** Escapes a text so that Markdown shows it literally. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>~|]/g, '\\$&').replaceAll(/^(\s*)([#+-]|\d+[.)])(?=\s)/gm, '$1\\$2')

export const quoteMarkdown = (text: string): string => `> ${escapeMarkdown(text).split(/\r?\n/).join('\n> ')}`

/** Strips Markdown syntax and ASCII art from the start of a text, which may be cut anywhere. */
export const withoutMarkdown = (text: string): string =>
  text
    .replace(/^\s*(?:[-*+>]|\d+[.)])\s+(?:\[[ x]\]\s+)?/, '')
    .replaceAll(/!?\[([^\]]*)\](?:\([^)\s]*\)?)?/g, '$1')
    .replaceAll(/(?<=^|\s)#{1,6}\s+/g, '')
    .replaceAll(/(?<=^|\s)(?:[=\-_~+*#═─━]{3,}|\|)(?=\s|…|$)/g, ' ')
    .replaceAll(/(?<!\\)(?:\*\*|\*|__|~~|`+)/g, '')
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
