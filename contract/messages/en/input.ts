/** Faults in the inputs of embeddings and legacy completions, in OpenAI's wording. */

export const inputTexts = {
  "input.expected": "Invalid type for '{param}': expected {wanted}, but got {given} instead.",
  "input.expectedText": "Invalid type for '{param}': expected a string.",
  "input.otherType":
    "Invalid type for '{param}': expected {wanted}, but got a value of another type instead.",
  "input.decimal": "Invalid type for '{param}': expected an integer, but got a decimal number instead.",
  "input.notInteger": "Invalid type for '{param}': expected an integer, but got a {given} instead.",
  "input.emptyArray":
    "Invalid '{param}': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  "input.tooMany":
    "Invalid '{param}': array too long. Expected an array with maximum length {max}, but got an array with length {count} instead.",
  "input.emptyText": "Invalid '{param}': input cannot be an empty string.",
  "input.below":
    "Invalid '{param}': integer below minimum value. Expected a value >= {min}, but got {given} instead.",
  "input.above":
    "Invalid '{param}': integer above maximum value. Expected a value <= {max}, but got {given} instead.",
  "input.encodingFormat": "Invalid value: {given}. Supported values are: 'float' and 'base64'.",
  "input.missing": "Missing required parameter: '{param}'.",
  "input.noStream": "This endpoint does not stream. Leave out 'stream'.",
  "input.oneModel":
    "'models' names several models. Vectors of different models cannot be compared, so embeddings take one.",
  "input.modelNotKnown":
    "Plaza does not know the embeddings format of this model's upstream. Ask the operator to serve the model at another upstream.",
  "input.tokensNotTaken": "This model's upstream does not accept token numbers. Send 'input' as text.",
} as const;
