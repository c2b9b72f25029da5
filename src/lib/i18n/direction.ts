/** Whether a text has a letter, and so a direction of its own. */
export const hasDirection = (text: string): boolean => /\p{L}/u.test(text)
