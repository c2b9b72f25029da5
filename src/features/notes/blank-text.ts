/** A new note starts with an empty heading, which becomes its title. */
export const BLANK_TEXT = '#'

export const isBlankText = (text: string): boolean => text.trim() === '' || text.trim() === BLANK_TEXT
