/** Whether a text has a letter, and so a direction of its own. */
export const hasDirection = (text: string): boolean => /\p{L}/u.test(text)

/** Whether a text is written from right to left, by its first letter, as browsers decide it. */
export const isRightToLeft = (text: string): boolean =>
  /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
