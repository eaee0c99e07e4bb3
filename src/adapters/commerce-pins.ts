/** Owns the contract this program was built for: a hash of each commerce tool's name, description, schemas and annotations. */
export const COMMERCE_PINS: ReadonlyMap<string, string> = new Map([
  ["create_ticket", "4d74db3b1eb72efa"],
  ["execute_refund", "40d637d63a5b846a"],
  ["get_invoice", "c54b2371a0f02a88"],
  ["get_order", "95d4f77a3ce80233"],
  ["get_product", "41a7ad2b58c34f88"],
  ["get_shipment", "78732e78709bb254"],
  ["get_ticket", "32960241ebaeb053"],
  ["list_orders", "73291911bea00e43"],
]);
