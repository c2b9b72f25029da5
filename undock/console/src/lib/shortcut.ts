const isApple = /Mac|iPhone|iPad/.test(navigator.platform)

/** A key together with the modifier of commands, as the keyboards of this system name it. */
export const shortcut = (key: string): string => (isApple ? `⌘${key}` : `Ctrl+${key}`)
