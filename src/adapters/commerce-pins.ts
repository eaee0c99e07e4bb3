/** Owns the contract this program was built for: a hash of each commerce tool's name, description, schemas and annotations. */
export const COMMERCE_PINS: ReadonlyMap<string, string> = new Map([
  ["create_ticket", "4d74db3b1eb72efa"],
  ["execute_refund", "40d637d63a5b846a"],
  ["get_invoice", "60ee02b4f3b8eb91"],
  ["get_order", "aae080c0715e0d5c"],
  ["get_product", "bca430e8bfe175eb"],
  ["get_shipment", "de0f3a724b3bf88d"],
  ["get_ticket", "840488619c64394b"],
  ["list_orders", "788cbd2739ff86da"],
]);
