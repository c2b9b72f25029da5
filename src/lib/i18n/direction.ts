/** Whether a text has letters, and so a direction. */
export const hasDirection = (text: string): boolean => /\p{L}/u.test(text)

/** Whether a text is right-to-left by its first letter, like in browsers. */
export const isRightToLeft = (text: string): boolean =>
  /^\P{L}*[\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Syriac}\p{Script=Thaana}\p{Script=Nko}]/u.test(text)
