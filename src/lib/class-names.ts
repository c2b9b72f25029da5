import { type ClassValue, clsx } from 'clsx'

/** Joins class names. What a component sets only as a default carries the variant `base:`, which any plain utility beats. */
export const classNames = (...values: ClassValue[]): string => clsx(values)
