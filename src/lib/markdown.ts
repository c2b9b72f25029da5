/** Text that Markdown shows as it is: what would be a sign is escaped. */
export const escapeMarkdown = (text: string): string =>
  text.replaceAll(/[\\`*_[\]<>~|]/g, '\\$&').replaceAll(/^(\s*)([#+-]|\d+[.)])(?=\s)/gm, '$1\\$2')

/** Text as a quotation, line by line. */
export const quoteMarkdown = (text: string): string => `> ${escapeMarkdown(text).split(/\r?\n/).join('\n> ')}`
