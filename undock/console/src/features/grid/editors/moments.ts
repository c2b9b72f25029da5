type PickerType = 'date' | 'time' | 'datetime-local'

/** The browser's picker for a type. */
export const pickerType = (baseType: string): PickerType =>
  baseType === 'date' ? 'date' : baseType.startsWith('timestamp') ? 'datetime-local' : 'time'

/** What a picker takes of a text as Postgres writes it; empty for another text, such as `infinity`. */
export function pickerValue(text: string, type: PickerType): string {
  const [, date, time] = /^(\d{4}-\d\d-\d\d)?[ T]?(\d\d:\d\d(?::\d\d)?)?/.exec(text) ?? []
  if (type === 'date') return date ?? ''
  if (type === 'time') return time ?? ''
  return date ? `${date}T${time ?? '00:00:00'}` : ''
}

/** What was picked as Postgres reads it. The zone stays the one of the text. */
export function pickedText(picked: string, text: string): string {
  const [zone = ''] = /(?<=\d\d:\d\d.*)(?:[+-]\d\d(?::?\d\d)*|Z)$/.exec(text) ?? []
  return picked.replace('T', ' ') + zone
}
