import { type ClassValue, clsx } from 'clsx'

/** Joins class names. A component's defaults use the variant `base:`, which any plain utility overrides. */
export const classNames = (...values: ClassValue[]): string => clsx(values)
