/** Whether a browser can draw a cover of it. */
export const isDrawable = (mimeType: string | null): boolean =>
  mimeType === 'application/pdf' || (mimeType?.startsWith('image/') ?? false)
