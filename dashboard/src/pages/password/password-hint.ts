/** As the server asks for it. */
export const PASSWORD_HINT = 'At least 12 characters. A few words in a row do well.';
