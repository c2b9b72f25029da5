/** How a new note begins: with the heading that becomes its title. */
export const BLANK_TEXT = '#'

/** Whether a note has no text: only an empty title, or not even that. */
export const isBlankText = (text: string): boolean => text.trim() === '' || text.trim() === BLANK_TEXT
