/** @throws {TypeError} when it is no name of a header. */
export const validateHeaderName = (name: string): void => void new Headers([[name, '']])

/** @throws {TypeError} when the header cannot have this value. */
export const validateHeaderValue = (name: string, value: string): void => void new Headers([[name, value]])
