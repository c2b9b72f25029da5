/** Text that Markdown shows as it is: what would be a sign is escaped. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>~|]/g, '\\$&').replaceAll(/^(\s*)([#+-]|\d+[.)])(?=\s)/gm, '$1\\$2')

/** Text as a quotation, line by line. */
export const quoteMarkdown = (text: string): string => `> ${escapeMarkdown(text).split(/\r?\n/).join('\n> ')}`

/** The words of the beginning of a text, without the signs of Markdown and what is drawn with letters; it may end anywhere. */
export const withoutMarkdown = (text: string): string =>
  text
    .replace(/^\s*(?:[-*+>]|\d+[.)])\s+(?:\[[ x]\]\s+)?/, '')
    .replaceAll(/!?\[([^\]]*)\](?:\([^)\s]*\)?)?/g, '$1')
    .replaceAll(/(?<=^|\s)#{1,6}\s+/g, '')
    // Rules between and below lines, and the bars between cells.
    .replaceAll(/(?<=^|\s)(?:[=\-_~+*#═─━]{3,}|\|)(?=\s|…|$)/g, ' ')
    .replaceAll(/(?<!\\)(?:\*\*|\*|__|~~|`+)/g, '')
    .replaceAll(/\\(?=[!-/:-@[-`{-~])/g, '')
    .replaceAll(/\s+/g, ' ')
    .trim()
