/** Owns what looks at a merchant's data alone, apart from any case: loaded by the commands that ask for it and by no others. */
export {
  type DataDesk,
  type DataReport,
  type DescribedTool,
  openDataDesk,
  type RetrievalQuestions,
  type RoutingRequests,
  type ToolRouter,
} from "../adapters/data-desk.js";
