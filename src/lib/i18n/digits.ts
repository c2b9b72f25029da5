/** Arabic and Persian digits, as their keyboards type them, in the digits that numbers are read from. */
export const latinDigits = (text: string): string =>
  text.replaceAll(/[\u0660-\u0669\u06f0-\u06f9]/g, (digit) => String(digit.charCodeAt(0) & 15))
