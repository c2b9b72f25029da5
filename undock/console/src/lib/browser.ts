export type ScreenAction = { readonly name: string; readonly press: () => void }

/** Returns the open screen's actions: its buttons, except the possibly thousands in rows and lists. */
export function screenActions(): ScreenAction[] {
  const buttons = [...document.querySelectorAll<HTMLButtonElement>('#content button:not(:disabled)')].filter(
    (button) => button.offsetParent !== null && !button.closest('table, ul, ol, dialog, [role="grid"]'),
  )
  const named = new Map<string, HTMLButtonElement>()
  for (const button of buttons) {
    const name = (button.ariaLabel ?? button.textContent).trim()
    if (name !== '' && !named.has(name)) named.set(name, button)
  }
  return [...named].map(([name, button]) => ({
    name,
    // The palette returns the focus first.
    press: () =>
      requestAnimationFrame(() => {
        button.focus()
        button.click()
      }),
  }))
}

/** Whether a key press there types text. */
export function isWriting(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable || target.matches('input, textarea, select, [role="grid"], [role="grid"] *'))
  )
}

/** Focuses the screen's search field. @returns whether there is one. */
export function focusSearch(): boolean {
  const fields = [...document.querySelectorAll<HTMLInputElement>('#content input[type="search"]:not(:disabled)')]
  const field = fields.find((one) => one.offsetParent !== null)
  field?.focus()
  return field !== undefined
}

/** Downloads a file. */
export function saveFile(name: string, type: string, content: BlobPart): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(new Blob([content], { type }))
  link.download = name
  link.click()
  URL.revokeObjectURL(link.href)
}

const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** Formats a shortcut with this system's command modifier. */
export const shortcut = (key: string): string => (isApple ? `⌘${key}` : `Ctrl+${key}`)
